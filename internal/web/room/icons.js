// Drawings of one stroke, without a name of their own: what they stand on has one.
import { s } from "./dom.js";

const strokes = {
  mic: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3ZM5 11a7 7 0 0 0 14 0M12 18v3",
  silent: "M9 9.5V11a3 3 0 0 0 4.6 2.5M15 11V6a3 3 0 0 0-5.7-1.3M5 11a7 7 0 0 0 11.2 5.6M19 11a7 7 0 0 1-.5 2.6M12 18v3M4 3l16 18",
  send: "M12 19V5m-6 6 6-6 6 6",
  hush: "M8 11V6a1.6 1.6 0 0 1 3.2 0v4.5M11.2 10V4.6a1.6 1.6 0 0 1 3.2 0V10M14.4 10.5V6a1.6 1.6 0 0 1 3.2 0v8.5A6.5 6.5 0 0 1 11 21c-3 0-4.4-1.6-5.7-4.2L3.7 13.4a1.7 1.7 0 0 1 3-1.5L8 13.6",
  sound: "M4 9.5v5h3.5l5 4v-13l-5 4ZM16 9a4.5 4.5 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  settings: "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5ZM8.5 14.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Z",
  leave: "M10 4H5v16h5M10 12h10m-4-4 4 4-4 4",
  dice: "M12 2.5 20.5 7.3v9.4L12 21.5l-8.5-4.8V7.3ZM12 7.5l4.7 8H7.3ZM12 2.5v5M3.5 16.7l3.8-1.2M20.5 16.7l-3.8-1.2",
  type: "M3 6h18v12H3ZM7 10h.01M11 10h.01M15 10h.01M17.5 14h-11",
  down: "M12 5v14m-6-6 6 6 6-6",
};

export const icon = (name) => s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: strokes[name] }));
