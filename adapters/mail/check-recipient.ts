import { FairleadError } from '../../domain/errors.ts';
import { isPersonaAddress, normalizeEmail } from '../../domain/identity/email-address.ts';

/**
 * The relay's own check, whatever came before: one normalized address, and no persona's, which have no mailbox and must
 * never get one (spec 1, "Persona"). @throws VALIDATION_FAILED
 */
export function checkRecipient(to: string): void {
  if (normalizeEmail(to) !== to) throw new FairleadError('VALIDATION_FAILED', 'A mail goes to one normalized address');
  if (isPersonaAddress(to)) throw new FairleadError('VALIDATION_FAILED', 'Personas get no mail');
}
