export const fine = 1;
const broken = = 2;
