import * as hob from './hob.cjs';

export * from './hob.cjs';
export default hob;
