// The explanation beside the element that is hovered over or focused: of a term, or of a sector of
// a ring. There is one tip for all elements. Escape hides it.
//
// Ground rules. Screen readers get the same text from `aria-describedby`, so the tip is hidden from
// them.
import { last, timerOf } from '../data/history.ts';
import { ringName, ringsOf, sectorOf } from '../data/rings.ts';
import { current, shown } from '../data/store.ts';
import { explanations, type Term } from './explanations.ts';
import { plural, time } from './format.ts';

const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;
tip.setAttribute('aria-hidden', 'true');

const MARGIN = 8;

export function installTip(): void {
  document.body.append(tip);
  document.addEventListener('pointerover', ({ target }) => showFor(target));
  document.addEventListener('focusin', ({ target }) => showFor(target));
  document.addEventListener('focusout', hide);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
  document.addEventListener('scroll', hide, { passive: true });
}

function hide(): void {
  tip.hidden = true;
}

function showFor(target: EventTarget | null): void {
  if (!(target instanceof Element) || target === tip) return;
  const explained = target.closest<HTMLElement | SVGElement>('[data-explain], [data-sector]');
  const text = explained === null ? undefined : textOf(explained.dataset);
  if (explained === null || text === undefined) {
    hide();
    return;
  }
  tip.textContent = text;
  tip.hidden = false;
  const at = explained.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const fitsBelow = at.bottom + MARGIN + height < innerHeight;
  const left = Math.min(Math.max(MARGIN, at.left + at.width / 2 - width / 2), innerWidth - width - MARGIN);
  tip.style.left = `${Math.max(MARGIN, left)}px`;
  tip.style.top = `${Math.max(MARGIN, fitsBelow ? at.bottom + MARGIN : at.top - MARGIN - height)}px`;
}

function textOf({ explain, ring, sector }: DOMStringMap): string | undefined {
  if (explain !== undefined) return explanations[explain as Term];
  return sectorTip(Number(ring), Number(sector));
}

/** The content of one sector of a ring. Undefined when it does not exist any more. */
function sectorTip(ringIndex: number, sector: number): string | undefined {
  const state = current();
  const view = timerOf(last(shown(state).frames).timers, state.choice.timer);
  if (view === undefined) return undefined;
  const { rings } = ringsOf(view);
  const ring = rings[ringIndex];
  const tasks = ring?.buckets[sector];
  if (tasks === undefined) return undefined;
  const width = view.wheelSize / ring.buckets.length;
  const first = sector * width;
  const buckets = width === 1 ? `bucket ${first}` : `buckets ${first} to ${first + width - 1}`;
  const holds = `${ringName(ringIndex, rings.length)}, ${buckets}: ${plural(tasks, 'task')}`;
  if (sector === sectorOf(view, ring, ring.position)) return `${holds}. The hand is here.`;
  const turnMs = view.wheelSize * ring.tickMs;
  const inMs = Math.floor(view.nowMs / turnMs) * turnMs + first * ring.tickMs - view.nowMs;
  return inMs > 0
    ? `${holds}, reached in ${time(inMs)}`
    : `${holds}, reached again in ${time(inMs + turnMs)}`;
}
