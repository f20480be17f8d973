/** How a brand's colour is used, each `#rrggbb`. */
export interface Fill {
  /** What the brand chose. */
  readonly fill: string;
  /** Black or white, whichever is read better on it. */
  readonly text: string;
  /** Around it, where it alone would be lost on the card. */
  readonly edge: string;
}

type Rgb = readonly [number, number, number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** Cards of the light and the dark scheme; see assets/pages.css. */
const SURFACES = { light: [255, 255, 255], dark: [30, 33, 39] } as const;

/** A control must be told from what is around it (WCAG 2.2, 1.4.11). */
const MINIMUM_CONTRAST = 3;
const STEPS = 20;

/**
 * A brand's colour as it can be used in both schemes: as it is, with text that can be read on it, and an edge that is
 * moved towards black or white until it stands out from the card. Null for what is not `#rrggbb`.
 */
export function brandFills(colour: string): { readonly light: Fill; readonly dark: Fill } | null {
  const rgb = parse(colour);
  if (rgb === null) return null;
  return { light: fillOn(SURFACES.light, rgb, BLACK), dark: fillOn(SURFACES.dark, rgb, WHITE) };
}

/** Contrast of two `#rrggbb` colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [first, second] = [parse(one), parse(other)];
  return first === null || second === null ? 1 : ratio(first, second);
}

function fillOn(surface: Rgb, fill: Rgb, towards: Rgb): Fill {
  const shades = Array.from({ length: STEPS + 1 }, (_, step) => mix(fill, towards, step / STEPS));
  const edge = shades.find((shade) => ratio(shade, surface) >= MINIMUM_CONTRAST) ?? towards;
  const text = ratio(fill, WHITE) >= ratio(fill, BLACK) ? WHITE : BLACK;
  return { fill: format(fill), text: format(text), edge: format(edge) };
}

function parse(colour: string): Rgb | null {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return null;
  const channel = (at: number): number => Number.parseInt(colour.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

function format(rgb: Rgb): string {
  return `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const channel = (index: 0 | 1 | 2): number => Math.round(from[index] + (to[index] - from[index]) * share);
  return [channel(0), channel(1), channel(2)];
}

function ratio(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (channel: number): number => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
