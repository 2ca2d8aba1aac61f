const fine: number = 1;
const broken: = 2;
