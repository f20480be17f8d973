import { identityStoresSuite } from '../../ports/identity/identity-stores.ts';
import { createDatabase } from './database/database.ts';

await identityStoresSuite(createDatabase());
