import { gitIdentityStoreSuite } from '../../ports/git-identity-store.ts';
import { createInMemoryGitIdentities } from './git-identities.ts';

gitIdentityStoreSuite(async () => createInMemoryGitIdentities());
