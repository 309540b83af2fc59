// The explanation beside the element that is hovered over or focused. There is one tip for all
// elements. Escape hides it.
//
// Ground rules. Screen readers get the same text from `aria-describedby`, so the tip is hidden from
// them.
import { explanations, type Term } from './explanations.ts';

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
  const explained = target.closest<HTMLElement>('[data-explain]');
  if (explained === null) {
    hide();
    return;
  }
  tip.textContent = explanations[explained.dataset.explain as Term];
  tip.hidden = false;
  const at = explained.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const fitsBelow = at.bottom + MARGIN + height < innerHeight;
  const left = Math.min(Math.max(MARGIN, at.left + at.width / 2 - width / 2), innerWidth - width - MARGIN);
  tip.style.left = `${Math.max(MARGIN, left)}px`;
  tip.style.top = `${Math.max(MARGIN, fitsBelow ? at.bottom + MARGIN : at.top - MARGIN - height)}px`;
}
