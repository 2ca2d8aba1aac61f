import hob from './hob.cjs';

export const { HobError, LinkError, ModelError, main, run } = hob;
export default hob;
