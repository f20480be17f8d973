import { mailSenderSuite } from '../../ports/identity/mail-sender.ts';
import { captureMail } from '../../support/in-memory/captured-mail.ts';

mailSenderSuite('in memory', async () => {
  const { sender, mailbox } = captureMail(() => new Date());
  return {
    sender,
    arrived: async () => mailbox.map((mail) => ({ ...mail, recipients: [mail.to] })),
    stop: async () => {},
  };
});
