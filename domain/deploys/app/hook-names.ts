/** Scripts of an app that package managers run when they install. */
export const HOOKS = ['preinstall', 'install', 'postinstall', 'prepare'];
