export { fastifyPlugin, nodeHandler } from './server/adapters.js';
export { run } from './server/command.js';
export { createDashboard } from './server/dashboard.js';
export { serveDashboard } from './server/serve.js';
