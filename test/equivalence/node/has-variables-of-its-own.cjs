console.log(process.env.OWN, process.env['中文'], process.env.EMPTY === '');
