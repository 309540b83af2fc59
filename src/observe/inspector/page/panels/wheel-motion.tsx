// The moving parts of the wheels between two frames: the hands, tasks that fall in a cascade, a
// pulse of the hub where tasks ran.
//
// Ground rules. It draws only what frames contain. A hand goes on at the pace of the timer's own
// time (it stands still with a ManualClock). A falling spark belongs to a cascade that happened.
// There is one canvas, cleared and drawn each animation frame: O(rings + sparks), whatever is
// parked. For readers who want less motion, hands move with the frames and nothing falls.
import { Component, createRef, type JSX } from 'preact';
import type { Frame } from '../../frame.ts';
import type { Cascade, Ring, TimerView } from '../../view-types.ts';
import { sum, timerOf } from '../data/history.ts';
import { at, type Band, bandsOf, CENTRE, hubOf, SIZE } from '../data/rings.ts';
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

interface Spark {
  readonly bornMs: number;
  readonly from: Band;
  readonly fromTurn: number;
  readonly to: Band;
  readonly toTurn: number;
}

interface Pace {
  readonly nowMs: number;
  readonly seenMs: number;
  /** Timer ms per real ms: 1 for a running clock, 0 for one that stands. */
  readonly speed: number;
}

export class MotionCanvas extends Component {
  readonly #canvas = createRef<HTMLCanvasElement>();
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  #view: TimerView | undefined;
  #pace: Pace = { nowMs: 0, seenMs: 0, speed: 1 };
  #sparks: Spark[] = [];
  #pulseMs = Number.NEGATIVE_INFINITY;
  #colours = { hand: '', spark: '' };

  override componentDidMount(): void {
    const readColours = (): void => {
      this.#colours = { hand: colour('--hand')(), spark: colour('--spark')() };
    };
    readColours();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', readColours);
    onChange(({ paused }, news) => {
      if (news !== undefined && paused === undefined) this.#take(news);
    });
    const last = shown(current()).frames.at(-1);
    if (last !== undefined) this.#take(last);
    const draw = (): void => {
      this.#draw(performance.now());
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  }

  override shouldComponentUpdate(): boolean {
    return false;
  }

  override render(): JSX.Element {
    return <canvas ref={this.#canvas} />;
  }

  #take(frame: Frame): void {
    const view = timerOf(frame, current().choice.timer);
    if (view === undefined) return;
    const seenMs = performance.now();
    const before = this.#view?.name === view.name ? this.#view : undefined;
    this.#view = view;
    this.#pace = { nowMs: view.nowMs, seenMs, speed: speedOf(before, view, seenMs - this.#pace.seenMs) };
    if (this.#calm.matches || before === undefined) return;
    if (view.totals.ran > before.totals.ran) this.#pulseMs = seenMs;
    for (const cascade of view.cascades) this.#fall(cascade, view, seenMs);
  }

  #fall({ ring, bucket, tasks }: Cascade, view: TimerView, nowMs: number): void {
    const bands = bandsOf(view.rings.length);
    const source = view.rings[ring];
    const target = view.rings[ring - 1];
    if (source === undefined || target === undefined) return;
    const sparks = Math.min(tasks, SPARKS_PER_CASCADE, MAX_SPARKS - this.#sparks.length);
    for (let i = 0; i < sparks; i++) {
      this.#sparks.push({
        bornMs: nowMs + Math.random() * 250,
        from: bands[ring],
        fromTurn: (bucket + 0.5) / source.buckets,
        to: bands[ring - 1],
        toTurn: (pick(target.sectors) + Math.random()) / target.sectors.length,
      });
    }
  }

  #draw(nowMs: number): void {
    const canvas = this.#canvas.current;
    const view = this.#view;
    if (canvas === null || view === undefined) return;
    const scale = scaleTo(canvas);
    const context = canvas.getContext('2d');
    if (context === null || scale === 0) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, SIZE, SIZE);
    this.#drawPulse(context, nowMs, hubOf(view.rings.length));
    const { nowMs: atFrameMs, seenMs, speed } = this.#pace;
    const isStill = this.#calm.matches || current().paused !== undefined;
    const timerMs = atFrameMs + (isStill ? 0 : Math.min(nowMs - seenMs, UNHEARD_MS) * speed);
    for (const [index, band] of bandsOf(view.rings.length).entries()) {
      this.#drawHand(context, view.rings[index], band, timerMs);
    }
    this.#drawSparks(context, nowMs);
  }

  #drawHand(context: CanvasRenderingContext2D, ring: Ring, band: Band, timerMs: number): void {
    const turnMs = ring.tickMs * ring.buckets;
    const turn = (timerMs % turnMs) / turnMs;
    context.strokeStyle = this.#colours.hand;
    const trail = this.#calm.matches ? 0 : Math.min(TRAIL_TURNS, TRAIL_MS / turnMs) * this.#pace.speed;
    const middle = (band.inner + band.outer) / 2;
    context.lineWidth = band.outer - band.inner;
    context.lineCap = 'butt';
    for (let step = 0; step < TRAIL_STEPS && trail > 0.002; step++) {
      const angle = 2 * Math.PI * (turn - 0.25 - (trail * (step + 1)) / TRAIL_STEPS);
      context.globalAlpha = 0.34 * (1 - step / TRAIL_STEPS) ** 2;
      context.beginPath();
      context.arc(CENTRE, CENTRE, middle, angle, angle + (2 * Math.PI * trail) / TRAIL_STEPS);
      context.stroke();
    }
    context.globalAlpha = 1;
    context.lineWidth = 2.5;
    context.lineCap = 'round';
    context.beginPath();
    context.moveTo(...at(turn, band.inner - 2));
    context.lineTo(...at(turn, band.outer + 2));
    context.stroke();
  }

  #drawPulse(context: CanvasRenderingContext2D, nowMs: number, hub: number): void {
    const done = (nowMs - this.#pulseMs) / PULSE_MS;
    if (done >= 1) return;
    context.globalAlpha = 0.5 * (1 - done);
    context.strokeStyle = this.#colours.spark;
    context.lineWidth = 3;
    context.beginPath();
    context.arc(CENTRE, CENTRE, hub - 3 - 9 * done, 0, 2 * Math.PI);
    context.stroke();
    context.globalAlpha = 1;
  }

  #drawSparks(context: CanvasRenderingContext2D, nowMs: number): void {
    this.#sparks = this.#sparks.filter(({ bornMs }) => nowMs - bornMs < FALL_MS);
    context.fillStyle = this.#colours.spark;
    for (const { bornMs, from, fromTurn, to, toTurn } of this.#sparks) {
      const done = (nowMs - bornMs) / FALL_MS;
      if (done < 0) continue;
      const fallen = done * done * (3 - 2 * done);
      const outer = (from.inner + from.outer) / 2;
      const inner = (to.inner + to.outer) / 2;
      let way = toTurn - fromTurn;
      way -= Math.round(way); // the short way round
      context.globalAlpha = done < 0.8 ? 1 : (1 - done) * 5;
      context.beginPath();
      context.arc(...at(fromTurn + way * fallen, outer + (inner - outer) * fallen), 2.6, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  }
}

function speedOf(before: TimerView | undefined, view: TimerView, realMs: number): number {
  if (before === undefined || realMs <= 0) return 1;
  const speed = (view.nowMs - before.nowMs) / realMs;
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

/**
 * Gives the canvas as many pixels as it covers on the screen. Returns the pixels for each unit of
 * the drawing.
 */
function scaleTo(canvas: HTMLCanvasElement): number {
  const pixels = Math.round(canvas.clientWidth * devicePixelRatio);
  if (canvas.width !== pixels) {
    canvas.width = pixels;
    canvas.height = pixels;
  }
  return pixels / SIZE;
}
