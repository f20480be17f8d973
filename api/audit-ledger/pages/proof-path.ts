import type { EventProof } from '../../../domain/audit-ledger/batch.ts';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import { pairHash } from '../../../domain/audit-ledger/merkle-proof.ts';
import { type Html, html } from '../../http/pages/html.ts';

const ROW = 64;
const TOP = 30;
const [OWN_X, SIBLING_X] = [150, 450];
const BOX = { width: 220, height: 34 };

interface Step {
  readonly title: string;
  readonly hash: Hash;
  readonly sibling: Hash | null;
}

/**
 * The way from an event's leaf up to the anchored root, as a drawing: on the left what is computed, on the right the
 * siblings that the proof brings. It reads from the bottom up, as the tree grows.
 */
export function proofPath({ leaf, proof }: Pick<EventProof, 'leaf' | 'proof'>): Html {
  const steps = stepsOf(leaf, proof);
  const height = TOP + ROW * (steps.length - 1) + BOX.height + 10;
  const y = (level: number): number => TOP + ROW * (steps.length - 1 - level);
  return html`<figure class="proof"><svg viewBox="0 0 600 ${height}" role="img" aria-labelledby="proof-title">
<title id="proof-title">${`${proof.length} steps from the leaf of the event to the root of its day`}</title>
${steps.map(({ title, hash, sibling }, level) => {
  const top = y(level);
  return html`${level + 1 < steps.length && edge(OWN_X, top, y(level + 1) + BOX.height, 'own')}
${sibling !== null && edge(SIBLING_X, top, y(level + 1) + BOX.height, 'sibling')}
${box(OWN_X, top, title, hash, level === 0 || level === steps.length - 1 ? 'end' : 'own')}
${sibling !== null && box(SIBLING_X, top, 'from the proof', sibling, 'sibling')}`;
})}
</svg></figure>`;
}

function stepsOf(leaf: Hash, proof: readonly Hash[]): readonly Step[] {
  const steps: Step[] = [];
  let hash = leaf;
  for (const [level, sibling] of proof.entries()) {
    steps.push({ title: level === 0 ? 'leaf of the event' : `level ${level}`, hash, sibling });
    hash = pairHash(hash, sibling);
  }
  return [...steps, { title: proof.length === 0 ? 'leaf and root' : 'root of the day', hash, sibling: null }];
}

function box(x: number, y: number, title: string, hash: Hash, kind: string): Html {
  return html`<g class="${kind}"><title>${hash}</title>
<rect x="${x - BOX.width / 2}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"></rect>
<text class="label" x="${x}" y="${y + 14}">${title}</text>
<text x="${x}" y="${y + 27}">${short(hash)}</text></g>`;
}

function edge(x: number, from: number, to: number, kind: string): Html {
  return html`<line class="${kind}" x1="${x}" y1="${from}" x2="${OWN_X}" y2="${to}"></line>`;
}

export function short(hash: string): string {
  return `${hash.slice(0, 12)}…${hash.slice(-8)}`;
}
