export { cleanUpAfterBuild } from './deploys/clean-up-after-build.ts';
export { coordinateDeploys } from './deploys/coordinate-deploys.ts';
export { grantBuildSlots } from './deploys/grant-build-slots.ts';
export { pruneImages } from './deploys/prune-images.ts';
export { reconcileDeploys } from './deploys/reconcile-deploys.ts';
export { removeService } from './deploys/remove-service.ts';
export { runBuild } from './deploys/run-build.ts';
export { rotateSigningKeys } from './identity/rotate-signing-keys.ts';
