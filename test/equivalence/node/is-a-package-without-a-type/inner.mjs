import main from './main.js';
export default [typeof main, import.meta.url];
