console.log(new Date(0).toString(), Intl.DateTimeFormat().resolvedOptions().timeZone, process.env.TZ);
process.env.TZ = 'America/New_York';
console.log(new Date(0).toString());
