import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { PlatformNames } from '../../domain/custom-domains/domain-name.ts';
import type { DomainCommands } from '../../domain/custom-domains/messages.ts';
import type { CustomDomainStore } from '../../domain/custom-domains/ports.ts';
import type { ModeSettings } from '../../domain/custom-domains/settings.ts';
import type { NewId } from '../../domain/ids.ts';

export interface CustomDomainsDeps {
  readonly services: Pick<ServiceStore, 'find' | 'list'>;
  readonly domains: Pick<CustomDomainStore, 'find' | 'list'>;
  readonly domainCommands: DomainCommands;
  readonly platformNames: PlatformNames;
  readonly domainModes: ModeSettings & { readonly writesRecords: boolean };
  readonly newId: NewId;
  readonly now: Clock;
}
