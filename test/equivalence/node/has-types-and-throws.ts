interface Thing {
  readonly name: string;
}

function fail(thing: Thing): never {
  throw new Error(`thrown by ${thing.name}`);
}

fail({ name: 'types' });
