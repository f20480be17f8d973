import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import type { GitHost } from '../../domain/git-hooks/git-host.ts';
import type { GitHookCommands } from '../../domain/git-hooks/messages.ts';
import type { GitConnectionStore, GitDeliveryStore, HeadStore } from '../../domain/git-hooks/ports.ts';
import type { NewId } from '../../domain/ids.ts';

export interface GitHooksDeps {
  readonly builds: Pick<BuildStore, 'statusesOf' | 'list'>;
  readonly services: ServiceStore;
  readonly gitConnections: GitConnectionStore;
  readonly gitDeliveries: GitDeliveryStore;
  readonly gitHeads: HeadStore;
  readonly gitHookCommands: GitHookCommands;
  /** Null where no git host is reached. */
  readonly gitHost: GitHost | null;
  /** Null when no CONFIG_ENCRYPTION_KEY is set: then nothing can be connected. */
  readonly cipher: SecretCipher | null;
  readonly audit: AuditRecorder | null;
  readonly newId: NewId;
  readonly now: Clock;
  /** 32 bytes of the system's random source. */
  readonly randomSecret: () => Uint8Array;
  readonly platformGitUrl: string | null;
  readonly localSourcesRoot: string | null;
  /** Address of the builder, as git hosts reach it. */
  readonly hooksUrl: string;
}
