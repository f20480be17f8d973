import { createTokenVerifier } from '../../../sdk/index.ts';
import { buildRecord } from '../../ports/records.ts';
import { AUDIENCE } from '../../sdk/auth/test-provider.ts';
import { startApi } from '../../support/start-api.ts';
import { createStoredBuilderParts } from '../../support/stored-builder-parts.ts';

/** The builder with services and builds, as a process of its own: `builder-process.ts <provider>` says its address. */
const [idpUrl = ''] = process.argv.slice(2);
const SERVICES = 10;
const BUILDS = 10;

const verifier = createTokenVerifier({ idpUrl, audience: AUDIENCE, revocations: { internalKey: 'bench' } });
const parts = await createStoredBuilderParts();
const api = await startApi({ verifier, issuer: idpUrl }, null, parts);
for (let number = 0; number < SERVICES; number += 1) {
  const service = `bench${number}`;
  await api.services.upsert({ id: `svc_${number}`, name: service, org: 'acme' }, {});
  for (let build = 0; build < BUILDS; build += 1) {
    const id = `bld_${number}x${build}`;
    await api.builds.create(buildRecord({ id, serviceId: `svc_${number}`, service, org: 'acme' }));
  }
}
process.send?.(api.address);
