export { Inspector } from './inspector.js';
