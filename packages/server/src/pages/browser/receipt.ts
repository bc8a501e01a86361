import { find } from './dom.ts';
import { showLocalTimes } from './local-time.ts';

showLocalTimes();
const button = find('print');
button?.addEventListener('click', () => print());
button?.removeAttribute('hidden');
