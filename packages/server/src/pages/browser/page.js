/** The path of the page's link: the same with and without a slash at its end. */
export const linkPath = () => location.pathname.replace(/\/$/, '');

/**
 * An element of the page by its id; none of a part that this page does not have.
 * @param {string} id
 */
export function find(id) {
  return document.getElementById(id);
}

/**
 * The text of an element; none of one that is not there.
 * @param {string} id
 */
export function textOf(id) {
  return find(id)?.textContent ?? '';
}

/**
 * Writes a text into an element, unless it is there already: a screen reader would read it again.
 * @param {string} id
 * @param {string} text
 */
export function setText(id, text) {
  const element = find(id);
  if (element && element.textContent !== text) element.textContent = text;
}

/**
 * A row of a list: a button with a picture. Its texts are those of a wallet, and stay texts.
 * @param {{ name: string, detail?: string, icon: string | undefined, onClick: () => void }} row
 */
export function listItem({ name, detail = '', icon, onClick }) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'row';
  button.addEventListener('click', onClick);
  // As the Wallet Standard wants it, so that none is loaded from elsewhere.
  if (icon && /^data:image\/(?:svg\+xml|webp|png|gif);base64,/.test(icon)) {
    const image = document.createElement('img');
    Object.assign(image, { src: icon, alt: '', width: 28, height: 28 });
    button.append(image);
  }
  for (const part of [name, detail].filter(Boolean)) {
    const span = document.createElement('bdi');
    span.textContent = part;
    button.append(span);
  }
  const row = document.createElement('li');
  row.append(button);
  return row;
}
