import {
  objectLinksSection,
  objectLinksSettings,
  objectStoreSection,
  objectStoreSettings,
} from '../../adapters/env/object-store.ts';
import { readSection } from '../../adapters/env.ts';
import { type EnvSource, readTogether } from '../../adapters/read-variables.ts';
import { FairleadError } from '../../domain/errors.ts';
import { ensureReader } from '../dev/object-store-reader.ts';

/**
 * Makes the user of a MinIO by whose keys the builder signs links to objects. @throws VALIDATION_FAILED without an address or keys
 */
export async function makeLinkUser(env: EnvSource): Promise<void> {
  const { store, links } = readTogether({
    store: () => objectStoreSettings(readSection(objectStoreSection, env)),
    links: () => objectLinksSettings(readSection(objectLinksSection, env)),
  });
  if (store === null || links === null) {
    const needed =
      'OBJECT_STORE_INTERNAL_HOST, OBJECT_STORE_ACCESS_KEY, OBJECT_STORE_SECRET_KEY and both OBJECT_STORE_LINK_… keys';
    throw new FairleadError('VALIDATION_FAILED', `set ${needed}`);
  }
  await ensureReader(store.endpoint, store, links);
}
