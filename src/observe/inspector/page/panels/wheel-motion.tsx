// The moving parts of the wheels between two frames: the hands, tasks that fall in a cascade, a
// pulse of the hub where tasks ran.
//
// Ground rules. It draws only what frames contain. A hand goes on at the pace of the timer's own
// time (it stands still with a ManualClock). A falling spark belongs to a cascade that happened.
// There is one canvas, cleared and drawn each animation frame: O(rings + sparks), whatever is
// parked. For readers who want less motion, hands move with the frames and nothing falls.
import type { JSX } from 'preact';
import type { Cascade, Frame, TimerView } from '../../frame.ts';
import { sum, timerOf } from '../data/history.ts';
import { at, type Band, CENTRE, ringsOf, SIZE } from '../data/rings.ts';
import { current, onChange, shown } from '../data/store.ts';
import { colour } from './chart.tsx';

/**
 * A hand stands still after this time without a frame of its timer. Nobody would know whether it is
 * right.
 */
const UNHEARD_MS = 1000;
const FALL_MS = 1100;
const PULSE_MS = 500;
const MAX_SPARKS = 240;
const SPARKS_PER_CASCADE = 28;
/** The length of a hand's trail: at most this part of a turn of its ring, and at most this time. */
const TRAIL_TURNS = 0.14;
const TRAIL_MS = 1500;
const TRAIL_STEPS = 14;

const hand = colour('--hand');
const glow = colour('--spark');

interface Spark {
  readonly bornMs: number;
  readonly from: Band;
  readonly fromTurn: number;
  readonly to: Band;
  readonly toTurn: number;
}

export function MotionCanvas(): JSX.Element {
  return <canvas ref={move} />;
}

/** Preact calls it with the canvas, once, and with null when that goes. */
function move(canvas: HTMLCanvasElement | null): void {
  const context = canvas?.getContext('2d');
  if (!canvas || !context) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  let view: TimerView | undefined;
  let seenMs = 0;
  /** Timer ms per real ms: 1 for a running clock, 0 for one that stands. */
  let speed = 1;
  let sparks: Spark[] = [];
  let pulseMs = Number.NEGATIVE_INFINITY;

  const take = (frame: Frame): void => {
    const next = timerOf(frame.timers, current().choice.timer);
    if (next === undefined) return;
    const nowMs = performance.now();
    const before = view?.name === next.name ? view : undefined;
    speed = before === undefined ? 1 : speedOf(next.nowMs - before.nowMs, nowMs - seenMs);
    view = next;
    seenMs = nowMs;
    if (calm.matches || before === undefined) return;
    if (next.totals.ran > before.totals.ran) pulseMs = nowMs;
    sparks.push(...next.cascades.flatMap((cascade) => sparksOf(cascade, next, nowMs)));
    sparks = sparks.slice(-MAX_SPARKS);
  };

  const draw = (): void => {
    if (!canvas.isConnected) return;
    requestAnimationFrame(draw);
    if (view === undefined) return;
    const nowMs = performance.now();
    // As many pixels as it covers on the screen.
    const pixels = Math.round(canvas.clientWidth * devicePixelRatio);
    if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
    context.setTransform(pixels / SIZE, 0, 0, pixels / SIZE, 0, 0);
    context.clearRect(0, 0, SIZE, SIZE);
    const { rings, bands, hub } = ringsOf(view);
    drawPulse(context, (nowMs - pulseMs) / PULSE_MS, hub);
    const isStill = calm.matches || current().paused !== undefined;
    const timerMs = view.nowMs + (isStill ? 0 : Math.min(nowMs - seenMs, UNHEARD_MS) * speed);
    for (const [index, { tickMs }] of rings.entries()) {
      const turnMs = tickMs * view.wheelSize;
      const trail = calm.matches ? 0 : Math.min(TRAIL_TURNS, TRAIL_MS / turnMs) * speed;
      drawHand(context, bands[index], (timerMs % turnMs) / turnMs, trail);
    }
    sparks = sparks.filter(({ bornMs }) => nowMs - bornMs < FALL_MS);
    for (const spark of sparks) drawSpark(context, spark, (nowMs - spark.bornMs) / FALL_MS);
    context.globalAlpha = 1;
  };

  onChange(({ paused }, news) => {
    if (news !== undefined && paused === undefined) take(news);
  });
  const last = shown(current()).frames.at(-1);
  if (last !== undefined) take(last);
  requestAnimationFrame(draw);
}

function sparksOf({ level, bucket, tasks }: Cascade, view: TimerView, nowMs: number): Spark[] {
  const { rings, bands } = ringsOf(view);
  if (rings[level] === undefined) return [];
  const { buckets } = rings[level - 1];
  return Array.from({ length: Math.min(tasks, SPARKS_PER_CASCADE) }, () => ({
    bornMs: nowMs + Math.random() * 250,
    from: bands[level],
    fromTurn: (bucket + 0.5) / view.wheelSize,
    to: bands[level - 1],
    toTurn: (pick(buckets) + Math.random()) / buckets.length,
  }));
}

/** @param trail the part of a turn that it has left behind it. */
function drawHand(
  context: CanvasRenderingContext2D,
  { inner, outer }: Band,
  turn: number,
  trail: number,
): void {
  context.strokeStyle = hand();
  context.lineWidth = outer - inner;
  context.lineCap = 'butt';
  for (let step = 0; step < TRAIL_STEPS && trail > 0.002; step++) {
    context.globalAlpha = 0.34 * (1 - step / TRAIL_STEPS) ** 2;
    const [from, to] = [step + 1, step].map((n) => 2 * Math.PI * (turn - 0.25 - (trail * n) / TRAIL_STEPS));
    context.beginPath();
    context.arc(CENTRE, CENTRE, (inner + outer) / 2, from, to);
    context.stroke();
  }
  context.globalAlpha = 1;
  context.lineWidth = 2.5;
  context.lineCap = 'round';
  context.beginPath();
  context.moveTo(...at(turn, inner - 2));
  context.lineTo(...at(turn, outer + 2));
  context.stroke();
}

/** @param done from 0 to 1. */
function drawPulse(context: CanvasRenderingContext2D, done: number, hub: number): void {
  if (done >= 1) return;
  context.globalAlpha = 0.5 * (1 - done);
  context.strokeStyle = glow();
  context.lineWidth = 3;
  context.beginPath();
  context.arc(CENTRE, CENTRE, hub - 3 - 9 * done, 0, 2 * Math.PI);
  context.stroke();
}

/** @param done from 0 to 1. Less than 0: it has not begun. */
function drawSpark(context: CanvasRenderingContext2D, spark: Spark, done: number): void {
  if (done < 0) return;
  const { from, fromTurn, to, toTurn } = spark;
  const fallen = done * done * (3 - 2 * done);
  const [outer, inner] = [(from.inner + from.outer) / 2, (to.inner + to.outer) / 2];
  const way = toTurn - fromTurn - Math.round(toTurn - fromTurn); // the short way round
  context.fillStyle = glow();
  context.globalAlpha = Math.min(1, (1 - done) * 5);
  context.beginPath();
  context.arc(...at(fromTurn + way * fallen, outer + (inner - outer) * fallen), 2.6, 0, 2 * Math.PI);
  context.fill();
}

function speedOf(timerMs: number, realMs: number): number {
  const speed = timerMs / Math.max(realMs, 1);
  return speed > 0.5 && speed < 2 ? 1 : Math.max(0, Math.min(1, speed));
}

/** An index at random. A larger weight makes it more likely. Any index when all weights are 0. */
function pick(weights: readonly number[]): number {
  let left = Math.random() * sum(weights, Number);
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return index >= 0 ? index : Math.floor(Math.random() * weights.length);
}
