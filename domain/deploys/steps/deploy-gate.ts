import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * Before the catalog is read, the gate is planned. A retry from any step up to the install asks it again: gas may be gone.
 *
 * It opens by an error of the wallet alone. A deadline of the step opens nothing: it may be one of our own database, and
 * then neither org nor owner was checked. The client of the wallet has a deadline of its own, which names the wallet.
 */
export const deployGate = step({
  key: 'deploy-gate',
  title: 'Deploy gate',
  stage: 'building',
  when: ({ catalog, installation }) => {
    if (!installation.wallet) return skip('no wallet (WALLET_URL) is configured');
    return catalog?.declared === false ? skip('the source has no catalog, which names an owner and a tier') : 'run';
  },
  needs: ['catalog'],
  activity: 'applyDeployGate',
  attemptSeconds: 30,
  deadlineSeconds: 180,
  failOpen: [{ system: 'wallet', codes: ['UNAVAILABLE'] }],
  remadeUntil: 'install',
});
