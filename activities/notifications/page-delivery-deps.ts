import type { NewId } from '../../domain/ids.ts';
import type { DeliveryCommands } from '../../domain/notifications/messages.ts';
import type { ChannelLinks, DeliveryStore, MailCounts } from '../../domain/notifications/ports.ts';
import type { MailingStore, SubscriberMailer, SubscriberStore } from '../../domain/notifications/subscriber-ports.ts';
import type { ShownNoticeDeps } from './shown-notice.ts';

/** What deliveries to subscribers of status pages work with. */
export interface PageDeliveryDeps extends ShownNoticeDeps {
  readonly subscribers: SubscriberStore;
  readonly mailings: MailingStore;
  readonly mailer: SubscriberMailer;
  readonly deliveries: Pick<DeliveryStore, 'insert' | 'note'>;
  readonly commands: Pick<DeliveryCommands, 'deliver'>;
  readonly links: Pick<ChannelLinks, 'newConfirmation'>;
  readonly mailCounts: MailCounts;
  readonly newId: NewId;
  readonly now: () => Date;
}
