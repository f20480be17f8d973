import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SealedSecret } from '../../domain/config/sealed-secret.ts';
import type { NewId } from '../../domain/ids.ts';
import type { DeliveryCommands } from '../../domain/notifications/messages.ts';
import type {
  ChannelLinks,
  ChannelStore,
  DeliveryStore,
  EscalationStore,
  MailCounts,
  Outbox,
} from '../../domain/notifications/ports.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';

export interface NotificationsDeps {
  readonly channels: ChannelStore;
  readonly escalations: EscalationStore;
  readonly deliveries: DeliveryStore;
  readonly deliveryCommands: DeliveryCommands;
  readonly outbox: Outbox;
  /** A new secret of a webhook as its receiver needs it, and as it is kept with the channel. */
  readonly newWebhookSecret: (channelId: string) => { readonly secret: string; readonly sealed: SealedSecret };
  /** Seals what its channel alone may open. */
  readonly sealForChannel: (channelId: string, text: string) => SealedSecret;
  readonly links: ChannelLinks;
  readonly mailCounts: MailCounts;
  /** Slug of the org that runs the installation, whose page is the operators'. */
  readonly platformOrg: string;
  /** Named in mails. */
  readonly platformName: string;
  /** @throws SOURCE_REFUSED for an address of a webhook that nothing would be sent to */
  readonly checkWebhookAddress: (address: string, org: string | null) => void;
  readonly newId: NewId;
  readonly now: Clock;
  readonly recordChange: RecordChange;
}

/** Records what somebody does before it is done. @throws UNAVAILABLE when it cannot be kept */
export type RecordChange = (
  context: Pick<RouteContext, 'requestId' | 'address'>,
  caller: Caller,
  facts: Pick<AuditEvent, 'type' | 'subject' | 'orgSlug' | 'data'>,
) => Promise<void>;
