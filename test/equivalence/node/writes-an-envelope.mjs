import { readFileSync, writeFileSync } from 'node:fs';
const { environment, data, params } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log(Object.keys(environment), environment.invoke_mode, environment.script_dir, data, params);
writeFileSync(environment.output_json, JSON.stringify({ code: 7, msg: 'fertig 好', more: [1, null] }));
