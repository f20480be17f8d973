import { STATE_WORDS } from '../../domain/status-page/overall-status.ts';
import type { ComponentHistory, StatusComponent } from '../../domain/status-page/status-view.ts';
import { type Html, html, renderHtml } from '../http/pages/html.ts';
import { uptimeText } from './uptime-text.ts';

/** White text is read on each of them (WCAG 2.2, 1.4.3). */
const FILLS = { good: '#1a7f37', warn: '#8a5a00', bad: '#b3261e', quiet: '#57606a' } as const;
const LABEL_FILL = '#30363d';
/** Of the font of badges, a character is about so wide. */
const CHARACTER = 6.6;
const PADDING = 12;

/** A badge of a component as an SVG image: its name beside its state, or, with its history, beside its uptime. */
export function badge({ name, state }: StatusComponent, history: ComponentHistory | null): string {
  const { label, tone } = STATE_WORDS[state];
  const shown = history === null ? label.toLowerCase() : `${uptimeText(history.uptime)} (${history.days.length} d)`;
  // An uptime is not good by itself: the badge has the tone of what is the case now.
  return renderHtml(drawing(name, shown, FILLS[tone]));
}

function drawing(left: string, right: string, fill: string): Html {
  const [leftWidth, rightWidth] = [widthOf(left), widthOf(right)];
  const width = leftWidth + rightWidth;
  const text = `${left}: ${right}`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" viewBox="0 0 ${width} 20" role="img" aria-label="${text}">
<title>${text}</title>
<rect width="${leftWidth}" height="20" fill="${LABEL_FILL}"/><rect x="${leftWidth}" width="${rightWidth}" height="20" fill="${fill}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="${leftWidth / 2}" y="14">${left}</text><text x="${leftWidth + rightWidth / 2}" y="14">${right}</text></g></svg>
`;
}

const widthOf = (text: string): number => Math.ceil(text.length * CHARACTER + PADDING);
