// Loaded before a server that would listen on every address: it listens on
// 127.0.0.1 alone, and says on stderr where.
"use strict";

const net = require("node:net");

const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function (port, ...rest) {
  this.once("listening", () => console.error(`loopback: listening on ${this.address().port}`));
  return listen.call(this, { port: Number(port), host: "127.0.0.1" }, ...rest.filter((v) => typeof v === "function"));
};
