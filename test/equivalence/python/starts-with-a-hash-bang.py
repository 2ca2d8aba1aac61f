#!/usr/bin/env python2
print("taken by the manifest's language")
