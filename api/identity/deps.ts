import type { Logger } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { MailSender, PasswordHasher, TokenSigner, Tokens } from '../../domain/identity/ports.ts';
import type { NewId } from '../../domain/ids.ts';
import type { ServiceUrls } from '../../domain/service-addresses.ts';
import type { MailQueue } from './mail/mail-queue.ts';
import type { IdentityStores } from './stores.ts';

/** What the identity provider is told about its installation. */
export interface IdentitySettings {
  /** Public base address without a trailing slash: the claim `iss`, and where browsers come. */
  readonly issuer: string;
  /** How the installation calls itself on pages and in mail. */
  readonly platformName: string;
  /** Slug of the org that runs the installation. */
  readonly platformOrg: string;
  /** Audiences outside the installation that service tokens may be made for. */
  readonly externalAudiences: readonly string[];
  /** True where browsers come by https: cookies are then `Secure` and `__Host-`. */
  readonly secureCookies: boolean;
  /** Where the platform's services are: people sign in to the pages of those that are known. */
  readonly serviceUrls: ServiceUrls;
  /** By the id of a platform client, the secret by which it gets tokens for its service's own calls. */
  readonly clientSecrets: Readonly<Record<string, string>>;
}

/** What the handlers of the identity provider work with. */
export interface IdentityDeps extends IdentityStores {
  readonly signer: TokenSigner;
  /** Seals with the provider's own key; `context` names what and whose it is. */
  readonly cipher: SecretCipher;
  readonly hasher: PasswordHasher;
  readonly tokens: Tokens;
  readonly mail: MailSender;
  /** Where mail is sent from, after the reply. */
  readonly mailQueue: MailQueue;
  readonly newId: NewId;
  /** The database's time, as last asked for: never ahead of it (adapters/mongo/database-clock.ts). */
  readonly now: Clock;
  /** The database's time, asked for now: no token that was issued before has a later `iat`. @throws UNAVAILABLE */
  readonly databaseTime: () => Promise<Date>;
  readonly log: Logger;
  readonly settings: IdentitySettings;
}
