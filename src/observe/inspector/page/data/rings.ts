// The places of the rings. Pure geometry around the point 0 0, the finest ring innermost. Bucket 0
// is at twelve o'clock, and time goes clockwise.
import type { TimerView } from '../../frame.ts';
import { capitalised } from '../words/format.ts';
import { sum } from './history.ts';

/** The box in which pictures are drawn. */
export const VIEW = '-200 -200 400 400';
const OUTER = 190;
const HUB = 62;
const GAP = 7;
const THICKEST = 44;
/** The most rings that are drawn. The tasks of coarser wheels are shown as one sum. */
const MAX_RINGS = 6;

type Ring = TimerView['levels'][number];

export interface Band {
  readonly inner: number;
  readonly outer: number;
}

/** The bands of `rings` rings, the innermost first. */
function bandsOf(rings: number): Band[] {
  const thickness = Math.min(THICKEST, (OUTER - HUB) / rings - GAP);
  return Array.from({ length: rings }, (_, ring) => {
    const outer = OUTER - (rings - 1 - ring) * (thickness + GAP);
    return { inner: outer - thickness, outer };
  });
}

/** The sector of a bucket: each has the sum of the same number of buckets. */
export function sectorOf({ wheelSize }: TimerView, { buckets }: Ring, bucket: number): number {
  return Math.floor((bucket * buckets.length) / wheelSize);
}

/** The rings to draw, their places, the radius of the space within, the sum of coarser ones. */
export function ringsOf({ levels }: TimerView) {
  const rings = levels.slice(0, MAX_RINGS);
  const beyond = sum(levels.slice(MAX_RINGS), ({ buckets }) => sum(buckets, Number));
  const bands = bandsOf(rings.length);
  return { rings, bands, hub: (bands[0]?.inner ?? OUTER) - GAP, beyond };
}

/** The outline of one of `count` sectors of a band, as SVG path data. */
export function sectorPath({ inner, outer }: Band, sector: number, count: number): string {
  const margin = 0.09 / count;
  const [from, to] = [sector / count + margin, (sector + 1) / count - margin];
  const corner = (turn: number, radius: number): string => {
    const angle = 2 * Math.PI * (turn - 0.25);
    return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  };
  const large = to - from > 0.5 ? 1 : 0;
  return (
    `M${corner(from, outer)}A${outer} ${outer} 0 ${large} 1 ${corner(to, outer)}` +
    `L${corner(to, inner)}A${inner} ${inner} 0 ${large} 0 ${corner(from, inner)}Z`
  );
}

/** Steps of shading: none, and one per decade up to thousands. */
export const SHADES = ['0', '1+', '10+', '100+', '1,000+'] as const;

export function shadeOf(tasks: number): number {
  return tasks === 0 ? 0 : Math.min(SHADES.length - 1, 1 + Math.floor(Math.log10(tasks)));
}

/** As in "of the inner ring", or "of ring 2". */
export function ringPhrase(ring: number, rings: number): string {
  if (rings === 1) return 'the ring';
  if (ring === 0) return 'the inner ring';
  if (ring === rings - 1) return 'the outer ring';
  return rings === 3 ? 'the middle ring' : `ring ${ring + 1}`;
}

export function ringName(ring: number, rings: number): string {
  return capitalised(ringPhrase(ring, rings).replace('the ', ''));
}
