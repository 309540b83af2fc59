// The places of the rings, and what is at a point. Pure geometry: a square of SIZE, the finest ring
// innermost. Bucket 0 is at twelve o'clock, and time goes clockwise.
import type { Ring } from '../../view-types.ts';
import { capitalised } from '../words/format.ts';

export const SIZE = 400;
export const CENTRE = SIZE / 2;
const OUTER = 190;
const HUB = 62;
const GAP = 7;
const THICKEST = 44;

export interface Band {
  readonly inner: number;
  readonly outer: number;
}

/** The bands of `rings` rings, the innermost first. */
export function bandsOf(rings: number): Band[] {
  const thickness = Math.min(THICKEST, (OUTER - HUB) / rings - GAP);
  return Array.from({ length: rings }, (_, ring) => {
    const outer = OUTER - (rings - 1 - ring) * (thickness + GAP);
    return { inner: outer - thickness, outer };
  });
}

/** The radius of the space within the rings. */
export function hubOf(rings: number): number {
  return (bandsOf(rings)[0]?.inner ?? OUTER) - GAP;
}

export function at(turn: number, radius: number): readonly [number, number] {
  const angle = 2 * Math.PI * (turn - 0.25);
  return [CENTRE + radius * Math.cos(angle), CENTRE + radius * Math.sin(angle)];
}

export function sectorOf(ring: Ring, bucket: number): number {
  return Math.floor((bucket * ring.sectors.length) / ring.buckets);
}

const paths = new Map<string, string>();

/** The outline of one of `count` sectors of a band, as SVG path data. */
export function sectorPath({ inner, outer }: Band, sector: number, count: number): string {
  const key = `${inner} ${sector} ${count}`;
  let path = paths.get(key);
  if (path === undefined) {
    const margin = 0.09 / count;
    const from = sector / count + margin;
    const to = (sector + 1) / count - margin;
    const corner = (turn: number, radius: number): string =>
      at(turn, radius)
        .map((n) => n.toFixed(2))
        .join(' ');
    const large = to - from > 0.5 ? 1 : 0;
    path =
      `M${corner(from, outer)}A${outer} ${outer} 0 ${large} 1 ${corner(to, outer)}` +
      `L${corner(to, inner)}A${inner} ${inner} 0 ${large} 0 ${corner(from, inner)}Z`;
    paths.set(key, path);
  }
  return path;
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
