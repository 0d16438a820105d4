export default {
  // Native addons are loaded from node_modules as they are.
  serverExternalPackages: ['@cairnq/native'],
};
