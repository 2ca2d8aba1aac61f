const words = await new Promise((resolve) => setTimeout(() => resolve(['awaited']), 5));
for await (const word of words) console.log(word);
