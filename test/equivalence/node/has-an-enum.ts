enum Colour {
  Red = 'red',
  Green = 'green',
}
namespace Words {
  export const first = 'first';
}
class Point {
  constructor(readonly x: number) {}
}
console.log(Colour.Green, Colour, Words.first, new Point(1).x);
