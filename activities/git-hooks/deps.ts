import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import type { DeployCommands } from '../../domain/deploys/messages.ts';
import type { GitHost } from '../../domain/git-hooks/git-host.ts';
import type { GitHookCommands } from '../../domain/git-hooks/messages.ts';
import type { GitConnectionStore, GitDeliveryStore, HeadStore, RefReader } from '../../domain/git-hooks/ports.ts';
import type { GitIdentities, MemberDirectory } from '../../domain/git-identities/ports.ts';
import type { NewId } from '../../domain/ids.ts';

/** Everything the activities of pushes work with, built by a composition root in `workers/`. */
export interface GitHooksActivityDeps {
  readonly services: Pick<ServiceStore, 'find'>;
  readonly builds: Pick<BuildStore, 'find' | 'list' | 'stateOf'>;
  readonly gitConnections: GitConnectionStore;
  readonly gitDeliveries: GitDeliveryStore;
  readonly gitHeads: HeadStore;
  readonly gitHookCommands: GitHookCommands;
  readonly refs: RefReader;
  readonly commands: Pick<DeployCommands, 'request'>;
  /** Null where no git host is reached: then no statuses are set. */
  readonly gitHost: GitHost | null;
  /** Null when no CONFIG_ENCRYPTION_KEY is set: then there is no token to set statuses with. */
  readonly cipher: SecretCipher | null;
  readonly gitIdentities: GitIdentities;
  /** Null where there is no identity provider: then no push is a person's. */
  readonly members: Pick<MemberDirectory, 'memberRole'> | null;
  readonly platformGitUrl: string | null;
  /** Public address of the console, where people see a build; null where there is none. */
  readonly consoleUrl: string | null;
  /** Null where no ledger is. */
  readonly audit: AuditRecorder | null;
  readonly newId: NewId;
  readonly now: Clock;
}
