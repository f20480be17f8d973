import type { DeploySnapshot } from '../../../domain/registry/deploy-record.ts';

export const snapshotOf = (changes: Partial<DeploySnapshot> = {}): DeploySnapshot => ({
  ...{ releaseId: 'rel_1', commit: 'c0ffee', imageDigest: 'r/hello@sha256:1', port: 3000, podTier: 'nano' },
  healthEndpoint: '/health',
  config: ['COLOUR'],
  secrets: ['API_KEY'],
  ...changes,
});
