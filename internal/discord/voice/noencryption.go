package voice

// noEncryption is no end-to-end encryption at all.
type noEncryption struct{}

func (noEncryption) Start(int)                      {}
func (noEncryption) HandleJSON(int, []byte) error   { return nil }
func (noEncryption) HandleBinary(int, []byte) error { return nil }
func (noEncryption) AddUser(string)                 {}
func (noEncryption) RemoveUser(string)              {}
func (noEncryption) Ready() bool                    { return true }
func (noEncryption) Version() int                   { return 0 }
func (noEncryption) PrivacyCode() string            { return "" }
func (noEncryption) Close()                         {}
func (noEncryption) Encrypt(dst []byte, _ uint32, frame []byte) ([]byte, error) {
	return append(dst, frame...), nil
}
func (noEncryption) Decrypt(dst []byte, _ string, frame []byte) ([]byte, error) {
	return append(dst, frame...), nil
}
