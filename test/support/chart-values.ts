import { join } from 'node:path';
import { projectRoot } from '../../infra/dev/project.ts';

export const CHART = join(projectRoot, 'infra', 'kubernetes', 'chart');

/** The values that an installation has to give. */
export const CHART_VALUES = {
  image: { repository: 'registry.example.com/fairlead', tag: '0.4.0' },
  platformDomain: 'apps.example.com',
  stackId: 'prod1',
  urls: { idp: 'https://id.example.com' },
  temporal: { address: 'temporal.example.com:7233' },
  registry: { address: 'registry.example.com' },
} as const;
