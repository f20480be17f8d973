import { type Html, html } from '../../api/http/pages/html.ts';
import { type IconName, icon } from './icons.ts';

/** What a state means for the person who looks. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

const ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'check-circle',
  bad: 'x-circle',
  warn: 'alert',
  busy: 'running',
  quiet: 'minus',
};

/** A state by icon, word and colour, so that none of them is needed to understand it. */
export function badge(tone: Tone, label: string, iconName: IconName = ICONS[tone]): Html {
  return html`<span class="badge tone-${tone}">${icon(iconName)}${label}</span>`;
}
