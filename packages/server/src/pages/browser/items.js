import { followPicks } from './names.js';

/**
 * The inputs of an item of a list. The member is the field of an object, and empty in a list of texts.
 * @param {Element} item
 */
export function inputsOf(item) {
  return /** @type {HTMLInputElement[]} */ ([...item.querySelectorAll('[data-member]')]);
}

/** Lets people add items to the lists of the form, and remove them. */
export function followItems() {
  for (const list of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.items'))) followList(list);
}

/** @param {HTMLElement} list */
function followList(list) {
  const template = /** @type {HTMLTemplateElement} */ (list.nextElementSibling);
  const add = /** @type {HTMLButtonElement} */ (template.nextElementSibling);
  add.addEventListener('click', () => {
    list.append(template.content.cloneNode(true));
    const item = /** @type {Element} */ (list.lastElementChild);
    followPicks(item);
    item.querySelector('.remove')?.addEventListener('click', () => {
      item.remove();
      add.focus();
      list.dispatchEvent(new Event('input', { bubbles: true }));
    });
    /** @type {HTMLElement | null} */ (item.querySelector('select, input'))?.focus();
  });
}
