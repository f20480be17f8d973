import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { PropertyCommands } from '../../domain/properties/messages.ts';
import type {
  DnsZones,
  DomainMapSource,
  PropertyStore,
  PublicDns,
  SearchEngine,
  VerifyJobStore,
} from '../../domain/properties/ports.ts';

/** Everything the activities of Properties work with, built by a composition root in `workers/`. */
export interface PropertiesActivityDeps {
  readonly properties: PropertyStore;
  readonly jobs: VerifyJobStore;
  /** Null without DOMAIN_MAP. */
  readonly map: DomainMapSource | null;
  /** Null without GOOGLE_APPLICATION_CREDENTIALS. */
  readonly engine: SearchEngine | null;
  /** The same for what people ask: with a smaller budget of calls. */
  readonly asked: SearchEngine | null;
  /** Null without CLOUDFLARE_API_TOKEN: then every domain is on the manual path. */
  readonly zones: DnsZones | null;
  readonly dns: PublicDns;
  readonly commands: Pick<PropertyCommands, 'isUnderWay'>;
  /** WEBMASTER_OWNER_EMAILS */
  readonly ownerEmails: readonly string[];
  readonly newId: NewId;
  readonly now: Clock;
}
