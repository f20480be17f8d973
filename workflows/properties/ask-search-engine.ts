import type { CheckAnswer, OwnerAnswer, Question, RecordAnswer } from '../../domain/properties/messages.ts';
import { completeVerified, onceAsked } from './activity-proxies.ts';

/** Asks the search engine one question of a person, who waits for the answer. What it refuses is thrown. */
export async function askSearchEngine(question: Question): Promise<CheckAnswer | RecordAnswer | OwnerAnswer> {
  const { domain } = question;
  switch (question.kind) {
    case 'record':
      return { token: await onceAsked.readToken(domain) };
    case 'owner':
      return { owners: await onceAsked.addOwner(domain, question.email) };
    case 'check': {
      const { state, reason } = await onceAsked.confirmOnce(domain);
      if (state === 'verified') await completeVerified(domain);
      return { verified: state === 'verified', reason: state === 'ignored' ? 'It is ignored' : reason };
    }
  }
}
