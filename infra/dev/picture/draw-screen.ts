import type { Span } from './read-screen.ts';

const LINE = 20;
const CHARACTER = 8.43;
const MARGIN = 16;

const COLOURS: Readonly<Record<number, string>> = {
  30: '#6e7681',
  31: '#ff7b72',
  32: '#3fb950',
  33: '#d29922',
  34: '#58a6ff',
  35: '#bc8cff',
  36: '#39c5cf',
  37: '#e6edf3',
};

/** An SVG picture of a terminal's screen, text as text, with the fonts of the viewer. */
export function drawScreen(screen: readonly (readonly Span[])[], title: string): string {
  const widest = Math.max(...screen.map((line) => line.reduce((sum, { text }) => sum + [...text].length, 0)), 40);
  const width = Math.ceil(widest * CHARACTER) + 2 * MARGIN;
  const height = screen.length * LINE + 2 * MARGIN;
  const lines = screen.map((line, index) => {
    const spans = line.map(drawSpan).join('');
    return `<text x="${MARGIN}" y="${MARGIN + 14 + index * LINE}">${spans}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3" xml:space="preserve">`,
    ...lines,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function drawSpan({ text, codes }: Span): string {
  const colour = codes.map((code) => COLOURS[code]).find((one) => one !== undefined);
  const look = [
    colour === undefined ? '' : ` fill="${colour}"`,
    codes.includes(1) ? ' font-weight="bold"' : '',
    codes.includes(2) ? ' opacity="0.6"' : '',
    codes.includes(4) ? ' text-decoration="underline"' : '',
  ].join('');
  const safe = escapeXml(text);
  return look === '' ? safe : `<tspan${look}>${safe}</tspan>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
