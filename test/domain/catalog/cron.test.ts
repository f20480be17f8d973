import assert from 'node:assert/strict';
import { it } from 'node:test';
import { expectedSchedule } from '../../../domain/catalog/cron.ts';

const TAKEN = [
  '* * * * *',
  '0 2 * * *',
  '*/5 * * * *',
  '0-30/10 8-18 1,15 jan-MAR mon-fri',
  '59 23 31 12 7',
  '0\t0 1 1 0',
  '*/59 */23 */30 */11 */6',
  '7/13 5/18 * * *',
  '5-5 * * * sun-sat',
  '0 0 * * 5-7',
  '0 0 29 2 *',
  '0 0 29-31 feb *',
  '0 0 31 feb,MAR *',
  // Mondays of February: a day and a weekday are days of either.
  '0 0 31 2 mon',
];

const FIVE = /^five fields such as "0 2 \* \* \*"/;
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['', FIVE],
  ['* * * *', FIVE],
  ['* * * * * *', FIVE],
  ['@daily', FIVE],
  ['60 * * * *', /^for the minute 0 to 59, \*, a list .* in the place of 60$/],
  ['* 24 * * *', /^for the hour 0 to 23, /],
  ['* * 0 * *', /^for the day 1 to 31, /],
  ['* * 32 * *', /^for the day .* in the place of 32$/],
  ['* * L * *', /^for the day .* in the place of L$/],
  ['* * ? * *', /^for the day .* in the place of \?$/],
  ['* * 15W * *', /^for the day /],
  ['* * * 13 *', /^for the month 1 to 12 or jan to dec, /],
  ['* * * january *', /^for the month .* in the place of january$/],
  ['* * * * 8', /^for the weekday 0 to 6 or sun to sat, /],
  ['* * * * 5L', /^for the weekday /],
  ['* * * * mon#2', /^for the weekday /],
  ['*/0 * * * *', /^for the minute .* in the place of \*\/0$/],
  ['*/x * * * *', /^for the minute /],
  ['*/-1 * * * *', /^for the minute /],
  ['1/2/3 * * * *', /^for the minute /],
  ['1-2-3 * * * *', /^for the minute /],
  ['- * * * *', /^for the minute /],
  [', * * * *', /^for the minute /],
  ['1,,2 * * * *', /^for the minute /],
  ['mon * * * *', /^for the minute /],
  ['* * * * jan', /^for the weekday .* in the place of jan$/],
  ['5-1 * * * *', /^for the minute 5-59,0-1 in the place of 5-1, since a range does not go backwards$/],
  ['* 22-4/2 * * *', /^for the hour 22-23,0-4 in the place of 22-4, /],
  ['* * * 11-2 *', /^for the month 11-12,1-2 in the place of 11-2, /],
  ['* * * * fri-mon', /^for the weekday fri-sat,sun-mon in the place of fri-mon, /],
  ['* * * * Sat-Sun', /^for the weekday Sat,sun-Sun|^for the weekday Sat,sun in the place of Sat-Sun, /],
  ['* * * * 7-1', /^for the weekday .* in the place of 7-1, /],
  ['*/99 * * * *', /^for the minute 0 in the place of \*\/99, since the step is larger than the minutes 0 to 59$/],
  ['*/60 * * * *', /^for the minute 0 /],
  ['* 8-18/12 * * *', /^for the hour 8 in the place of 8-18\/12, since the step is larger than the hours 8 to 18$/],
  ['* * * * */7', /^for the weekday 0 /],
  ['50/20 * * * *', /^for the minute 50 in the place of 50\/20, since .* the minutes 50 to 59$/],
  ['0 0 31 2 *', /^for the day 29 or less in the place of 31, since the month 2 has no such day$/],
  ['0 0 30,31 feb *', /^for the day 29 or less in the place of 30,31, since the month feb has no such day$/],
  ['0 0 31 4,6,9,11 *', /^for the day 30 or less /],
  ['0 0 31 2 */2', /^for the day 29 or less /],
];

for (const text of TAKEN) it(`${JSON.stringify(text)} is a schedule`, () => assert.equal(expectedSchedule(text), null));
for (const [text, expected] of REFUSED) {
  it(`${JSON.stringify(text)} is none`, () => assert.match(expectedSchedule(text) ?? '', expected));
}
