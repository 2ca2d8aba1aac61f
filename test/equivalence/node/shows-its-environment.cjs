for (const name of Object.keys(process.env).sort()) console.log(name, '=', process.env[name]);
console.log(Object.keys(process.env).length, 'HOB_RUN_ID' in process.env);
