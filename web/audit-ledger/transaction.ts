import { type Html, html } from '../../api/http/pages/html.ts';
import type { SignatureCheck } from '../../domain/audit-ledger/batch.ts';
import { externalLink } from '../look/components.ts';

/** A hash by its ends; the whole of it on request. */
export function short(hash: string): string {
  return `${hash.slice(0, 10)}…${hash.slice(-6)}`;
}

/** A transaction of a chain, with its page at the explorer where the installation has one. */
export function transaction(txHash: string, explorerUrl: string | null): Html {
  const label = `transaction ${short(txHash)}`;
  if (explorerUrl === null) return html`<span title="${txHash}">${label}</span>`;
  return externalLink(explorerUrl, label);
}

/** Why a batch or an anchor in the ledger's database is not to be believed; null for one that the ledger signed. */
export function doubtOf(signature: SignatureCheck | undefined): string | null {
  if (signature === 'good') return null;
  return signature === 'wrong' ? 'does not match its signature' : 'not signed, not checked';
}
