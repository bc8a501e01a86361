/** Writes the times of the page in the reader's own time. */
export function showLocalTimes(): void {
  for (const time of document.querySelectorAll('time')) {
    time.textContent = new Date(time.dateTime).toLocaleString('en-GB', {
      ...{ day: 'numeric', month: 'short', year: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
    });
  }
}
