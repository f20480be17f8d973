/**
 * Characters that make text look like other text: controls, and those that turn the direction of what follows (Trojan
 * Source, CVE-2021-42574). Tabs and line ends stay.
 */
const UNSEEN = /[^\P{Cc}\t\n\r]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** Text with such characters written out, as in `⟦U+202E⟧`. For whole pages: none of ours needs them. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `⟦U+${point.toString(16).toUpperCase().padStart(4, '0')}⟧`;
  });
}
