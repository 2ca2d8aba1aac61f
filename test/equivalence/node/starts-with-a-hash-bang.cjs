#!/usr/bin/env -S node --no-such-option
'use strict';
console.log((function () { return this; })(), process.execArgv);
